local mur = require "mur"
return mur.capsule { name = "echo", version = "1", on_task = function(task) return task.text end }
