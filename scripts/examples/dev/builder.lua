-- Builds the site, now and whenever something changes in its source.
local mur = require "mur"

local source, site = mur.env.need "SOURCE", mur.env.need "SITE"

local function build()
  local parts = {}
  for _, path in ipairs(mur.fs.glob(mur.fs.join(source, "*.txt"))) do
    parts[#parts + 1] = "<p>" .. mur.fs.read(path):gsub("%s+$", "") .. "</p>"
  end
  mur.fs.write(mur.fs.join(site, "index.html"), "<!doctype html>\n" .. table.concat(parts, "\n") .. "\n")
  return #parts
end

local watch = mur.fs.watch(source)
build()
mur.task.spawn(function()
  for event in function() return (watch:next()) end do
    mur.log.info("built", { pages = build(), because = mur.fs.basename(event.path) })
  end
end, { detached = true, name = "builder" })

return mur.capsule {
  name = "builder",
  version = "1.0.0",
  on_task = function() return build() .. " pages built" end,
}
