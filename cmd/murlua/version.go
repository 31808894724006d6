package main

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"
)

// version is set when a release is linked: -ldflags "-X main.version=1.2.3".
var version string

type versionCommand struct {
	JSON bool `name:"json" help:"Print one JSON object."`
}

func (c versionCommand) run(_ context.Context, o *outside) error {
	v := buildVersion()
	if c.JSON {
		line, err := json.Marshal(v)
		if err != nil {
			return fmt.Errorf("cannot print the version: %w", err)
		}
		writeAll(o.stdout, string(line)+"\n")
		return nil
	}
	writeAll(o.stdout, fmt.Sprintf("murlua %s (%s, %s)\n", v.Version, v.Go, v.Platform))
	return nil
}

type versionInfo struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func buildVersion() versionInfo {
	v := versionInfo{Version: version, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		if v.Version == "" {
			v.Version = info.Main.Version
		}
		for _, setting := range info.Settings {
			if setting.Key == "vcs.revision" {
				v.Revision = setting.Value
			}
		}
	}
	if v.Version == "" || v.Version == "(devel)" {
		v.Version = "development"
	}
	return v
}
