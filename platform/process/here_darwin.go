package process

import (
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// surroundings are the facts of this process, which do not change while it runs.
var surroundings = sync.OnceValue(func() here {
	host, _ := os.Hostname()
	boot, _ := unix.Sysctl("kern.bootsessionuuid")
	machine, _ := unix.Sysctl("kern.uuid")
	found := here{origin: Origin{Boot: boot, Machine: machine, Host: host}}
	if booted, err := unix.SysctlTimeval("kern.boottime"); err == nil && booted.Sec <= time.Now().Unix() {
		found.bootTime = booted.Sec
	}
	return found
})
