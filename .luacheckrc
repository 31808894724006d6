std = "lua51"
max_line_length = 150
