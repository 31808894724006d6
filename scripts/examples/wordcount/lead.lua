-- Splits files between the counters, adds up what they answer and prints the ten most frequent words.
local mur = require "mur"

-- Cuts the text near its middle, between two words.
local function halves(text)
  local cut = text:find("%A", math.floor(#text / 2) + 1) or #text
  return text:sub(1, cut), text:sub(cut + 1)
end

return mur.capsule {
  name = "lead",
  version = "1.0.0",
  on_task = function(task)
    local order = mur.json.decode(task.text)
    if order.hold > 0 then mur.sleep(order.hold) end

    local texts = {}
    for i, path in ipairs(order.files) do texts[i] = mur.fs.read(path) end
    local first, second = halves(table.concat(texts, "\n"))

    local answers = mur.task.all {
      function() return task.peers.counter1:send(first) end,
      function() return task.peers.counter2:send(second) end,
    }

    local counts, words = {}, {}
    for _, answer in ipairs(answers) do
      for word, count in pairs(mur.json.decode(answer)) do
        if not counts[word] then words[#words + 1] = word end
        counts[word] = (counts[word] or 0) + count
      end
    end
    table.sort(words, function(a, b)
      if counts[a] ~= counts[b] then return counts[a] > counts[b] end
      return a < b
    end)
    for i = 1, math.min(10, #words) do print(("%7d %s"):format(counts[words[i]], words[i])) end
  end,
}
