package keeper

import (
	"bufio"
	"fmt"
	"os"
	"strings"
)

// diagnose looks at a program that could not be started and says what may be the reason, one finding each.
func diagnose(path, dir string) []string {
	var found []string
	if info, err := os.Stat(dir); err != nil {
		found = append(found, fmt.Sprintf("its working directory %s cannot be entered", dir))
	} else if !info.IsDir() {
		found = append(found, fmt.Sprintf("its working directory %s is not a directory", dir))
	}
	if !strings.Contains(path, "/") {
		return append(found, "install it, or give its path")
	}
	info, err := os.Stat(path)
	switch {
	case os.IsNotExist(err):
		return append(found, path+" does not exist")
	case err != nil:
		return append(found, path+" cannot be looked at")
	case info.IsDir():
		return append(found, path+" is a directory")
	case info.Mode()&0o111 == 0:
		return append(found, fmt.Sprintf("%s is not executable (mode %v)", path, info.Mode().Perm()))
	}
	if interpreter := interpreterOf(path); interpreter != "" {
		if _, err := os.Stat(interpreter); err != nil {
			found = append(found, fmt.Sprintf("its interpreter %s does not exist", interpreter))
		}
	}
	return found
}

// interpreterOf returns the program named by a script's first line, empty when it is no script.
func interpreterOf(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	line, _ := bufio.NewReaderSize(f, 256).ReadSlice('\n')
	rest, ok := strings.CutPrefix(string(line), "#!")
	if fields := strings.Fields(rest); ok && len(fields) > 0 {
		return fields[0]
	}
	return ""
}
