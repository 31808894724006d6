-- A development environment: redis, nginx, a capsule that builds the site whenever its source changes, and one that
-- keeps notes in redis. Needs redis-server, redis-cli and nginx.
--
--   murlua run scripts/examples/dev.lua           until ^C
--   murlua run scripts/examples/dev.lua --try     try everything once, then leave
local mur = require "mur"

local dir = mur.fs.tempdir { prefix = "dev-" } -- it goes when the recipe ends, with everything in it
local source, site = mur.fs.join(dir, "source"), mur.fs.join(dir, "site")
mur.fs.mkdir(source)
mur.fs.mkdir(site)
mur.fs.write(mur.fs.join(source, "page.txt"), "first draft\n")

local redis, web = mur.port(), mur.port()

mur.fs.write(mur.fs.join(dir, "nginx.conf"), mur.env.expand([[
daemon off;
master_process off;
pid $DIR/nginx.pid;
error_log stderr;
events {}
http {
  access_log off;
  client_body_temp_path $DIR/tmp; proxy_temp_path $DIR/tmp; fastcgi_temp_path $DIR/tmp;
  uwsgi_temp_path $DIR/tmp; scgi_temp_path $DIR/tmp;
  server {
    listen 127.0.0.1:$PORT;
    root $DIR/site;
    location = /health { default_type application/json; return 200 '{"status":"ok"}'; }
  }
}
]], { DIR = dir, PORT = tostring(web) }))

local formation = mur.formation.launch {
  members = {
    {
      name = "redis", dir = dir,
      command = { "redis-server", "--port", tostring(redis), "--bind", "127.0.0.1", "--save", "" },
      ready = mur.ready.all { mur.ready.tcp(redis), mur.ready.log "Ready to accept connections" },
      on_exit = "restart", ports = { redis },
    },
    {
      name = "builder", script = "dev/builder.lua",
      env = { SOURCE = source, SITE = site },
      ready = mur.ready.file { path = mur.fs.join(site, "index.html"), contains = "draft" },
    },
    {
      name = "web", after = { "builder" },
      command = { "nginx", "-e", "stderr", "-p", dir, "-c", mur.fs.join(dir, "nginx.conf") }, stop_signal = "QUIT",
      ready = { http = { url = ("http://localhost:%d/health"):format(web), json = { status = "ok" } } },
      health = { check = { http = ("http://localhost:%d/health"):format(web) }, every = 5, on_unhealthy = "restart" },
    },
    {
      name = "notes", script = "dev/notes.lua", after = { "redis" },
      env = { REDIS_PORT = tostring(redis) },
      ready = mur.ready.command { "redis-cli", "-p", tostring(redis), "ping" },
    },
  },
  ready_within = 30,
}

local page = ("http://localhost:%d/"):format(web)
if arg[1] ~= "--try" then
  print("the site is at " .. page .. ", its source in " .. source)
  return formation:wait()
end

-- The capsule keeps notes in redis.
local notes
for _, record in ipairs(mur.running.list { formation = formation.id }) do
  if record.formation_member == "notes" then notes = record end
end
mur.door.send(notes, "keep milk and bread")
print("notes: " .. mur.door.send(notes, "list").text)

-- The site follows its source.
print("page: " .. mur.http.get(page).body:match "<p>(.-)</p>")
mur.fs.write(mur.fs.join(source, "page.txt"), "second draft\n")
assert(mur.ready.wait({ http = { url = page, body = "second draft" } }, { within = 10 }))
print("page: " .. mur.http.get(page).body:match "<p>(.-)</p>")

return formation:stop()
