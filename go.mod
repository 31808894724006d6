module murlua

go 1.26.0

require (
	github.com/google/go-cmp v0.7.0
	github.com/peterh/liner v1.2.3
	github.com/yuin/gopher-lua v1.1.2
	golang.org/x/sys v0.50.0
)

require (
	github.com/alecthomas/kong v1.17.0
	github.com/creack/pty v1.1.24
	github.com/google/uuid v1.6.0
	go.yaml.in/yaml/v4 v4.0.0
)

require (
	github.com/clipperhouse/uax29/v2 v2.7.0 // indirect
	github.com/mattn/go-runewidth v0.0.31 // indirect
	golang.org/x/mod v0.33.0 // indirect
	golang.org/x/sync v0.19.0 // indirect
	golang.org/x/tools v0.41.0 // indirect
)

// Needed by tests only.
require (
	github.com/a2aproject/a2a-go/v2 v2.3.1
	github.com/rogpeppe/go-internal v1.16.0
	go.uber.org/goleak v1.3.0
)
