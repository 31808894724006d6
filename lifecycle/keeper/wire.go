package keeper

import (
	"encoding/binary"
	"errors"
	"time"

	"murlua/platform/contain"
)

// The host and its keeper speak in packets over a socket pair. A packet is a kind, then fields: numbers as
// varints, texts and lists with their length first. Both ends are the same binary, so there is no version.
// Descriptors travel beside a packet.
const (
	kindBase    = 'B' // host: the directory for cgroups; the rest of the packet is its path
	kindNote    = 'N' // host: the file that says whose the marks are; the rest of the packet is its path
	kindStart   = 's' // host: startRequest, with the command's descriptors
	kindStop    = 'k' // host: stopRequest
	kindDrain   = 'd' // host: no more is to come; exit when everything has ended
	kindRelease = 'c' // host: no more is to come; stop everything, exit when it is gone
	kindLarge   = 'l' // either: the packet itself is in the last descriptor, a file
	kindBatch   = 'b' // either: a list of packets without descriptors

	kindReady   = 'r' // keeper: it is up
	kindFailed  = 'F' // keeper: it cannot come up; the rest of the packet says why
	kindStarted = 'S' // keeper: startedReply, with the pidfd
	kindExited  = 'E' // keeper: exitedNotice
	kindEmpty   = 'G' // keeper: goneNotice, nothing of the command is left (or only survivors)
)

var errShortPacket = errors.New("the packet ends too early")

// A startRequest asks for one command. Fds says for each of the command's descriptors whether one travels with
// the packet ('f'), /dev/null stands in ('n') or the number stays closed ('-').
type startRequest struct {
	ID        uint32
	Class     string
	Path, Dir string
	Args, Env []string
	Fds       string
	Signal    int
	Grace     time.Duration
	Group     int // the process group to join; 0: one of its own
	Terminal  bool
}

type startedReply struct {
	ID    uint32
	PID   int
	Errno int    // why the start failed; 0: it did not
	Stage string // what failed, when it was not the program itself
}

type exitedNotice struct {
	ID   uint32
	Wait uint32 // as wait4 gives it
}

type stopRequest struct {
	ID     uint32
	Signal int
	Grace  time.Duration
}

type goneNotice struct {
	ID                         uint32
	Rung                       string
	Escaped, Killed, Survivors []contain.Process
}

// batch makes one packet of many.
func batch(packets [][]byte) []byte {
	if len(packets) == 1 {
		return packets[0]
	}
	e := encoder{kindBatch}
	for _, p := range packets {
		e.number(int64(len(p)))
		e = append(e, p...)
	}
	return e
}

// unbatch calls handle for each packet in a batch, or for the packet itself.
func unbatch(packet []byte, handle func([]byte)) error {
	if packet[0] != kindBatch {
		handle(packet)
		return nil
	}
	d := decoder{data: packet[1:]}
	for len(d.data) > 0 {
		one := d.text()
		if d.err != nil || one == "" || one[0] == kindBatch {
			return errShortPacket
		}
		handle([]byte(one))
	}
	return nil
}

type encoder []byte

func (e *encoder) number(n int64) { *e = binary.AppendVarint(*e, n) }

func (e *encoder) text(s string) {
	e.number(int64(len(s)))
	*e = append(*e, s...)
}

func (e *encoder) texts(list []string) {
	e.number(int64(len(list)))
	for _, s := range list {
		e.text(s)
	}
}

func (e *encoder) processes(list []contain.Process) {
	e.number(int64(len(list)))
	for _, p := range list {
		e.number(int64(p.PID))
		e.text(p.Name)
	}
}

// A decoder reads what an encoder wrote. After the first fault every read gives zero values and err says so.
type decoder struct {
	data []byte
	err  error
}

func (d *decoder) number() int64 {
	n, size := binary.Varint(d.data)
	if size <= 0 {
		d.data, d.err = nil, errShortPacket
		return 0
	}
	d.data = d.data[size:]
	return n
}

func (d *decoder) text() string {
	n := d.number()
	if n < 0 || n > int64(len(d.data)) {
		d.data, d.err = nil, errShortPacket
		return ""
	}
	s := string(d.data[:n])
	d.data = d.data[n:]
	return s
}

// length reads the length of a list, each entry of which takes at least one byte.
func (d *decoder) length() int {
	n := d.number()
	if n < 0 || n > int64(len(d.data)) {
		d.data, d.err = nil, errShortPacket
		return 0
	}
	return int(n)
}

func (d *decoder) texts() []string {
	list := make([]string, d.length())
	for i := range list {
		list[i] = d.text()
	}
	return list
}

func (d *decoder) processes() []contain.Process {
	n := d.length()
	if n == 0 {
		return nil
	}
	list := make([]contain.Process, n)
	for i := range list {
		list[i] = contain.Process{PID: int(d.number()), Name: d.text()}
	}
	return list
}

func (r *startRequest) encode() []byte {
	e := make(encoder, 0, r.size())
	e = append(e, kindStart)
	e.number(int64(r.ID))
	e.text(r.Class)
	e.text(r.Path)
	e.text(r.Dir)
	e.texts(r.Args)
	e.texts(r.Env)
	e.text(r.Fds)
	e.number(int64(r.Signal))
	e.number(int64(r.Grace))
	e.number(int64(r.Group))
	if r.Terminal {
		e.number(1)
	} else {
		e.number(0)
	}
	return e
}

// size is about what the request takes: an environment makes it large, and every command has one.
func (r *startRequest) size() int {
	size := 64 + len(r.Path) + len(r.Dir)
	for _, list := range [][]string{r.Args, r.Env} {
		for _, s := range list {
			size += len(s) + 2
		}
	}
	return size
}

func decodeStart(data []byte) (startRequest, error) {
	d := decoder{data: data}
	r := startRequest{
		ID: uint32(d.number()), Class: d.text(), Path: d.text(), Dir: d.text(), Args: d.texts(), Env: d.texts(),
		Fds: d.text(), Signal: int(d.number()), Grace: time.Duration(d.number()), Group: int(d.number()),
		Terminal: d.number() == 1,
	}
	return r, d.err
}

func (r *startedReply) encode() []byte {
	e := encoder{kindStarted}
	e.number(int64(r.ID))
	e.number(int64(r.PID))
	e.number(int64(r.Errno))
	e.text(r.Stage)
	return e
}

func decodeStarted(data []byte) (startedReply, error) {
	d := decoder{data: data}
	r := startedReply{ID: uint32(d.number()), PID: int(d.number()), Errno: int(d.number()), Stage: d.text()}
	return r, d.err
}

func (n *exitedNotice) encode() []byte {
	e := encoder{kindExited}
	e.number(int64(n.ID))
	e.number(int64(n.Wait))
	return e
}

func decodeExited(data []byte) (exitedNotice, error) {
	d := decoder{data: data}
	n := exitedNotice{ID: uint32(d.number()), Wait: uint32(d.number())}
	return n, d.err
}

func (r *stopRequest) encode() []byte {
	e := encoder{kindStop}
	e.number(int64(r.ID))
	e.number(int64(r.Signal))
	e.number(int64(r.Grace))
	return e
}

func decodeStop(data []byte) (stopRequest, error) {
	d := decoder{data: data}
	r := stopRequest{ID: uint32(d.number()), Signal: int(d.number()), Grace: time.Duration(d.number())}
	return r, d.err
}

func (n *goneNotice) encode() []byte {
	e := encoder{kindEmpty}
	e.number(int64(n.ID))
	e.text(n.Rung)
	e.processes(n.Escaped)
	e.processes(n.Killed)
	e.processes(n.Survivors)
	return e
}

func decodeGone(data []byte) (goneNotice, error) {
	d := decoder{data: data}
	n := goneNotice{ID: uint32(d.number()), Rung: d.text(), Escaped: d.processes(), Killed: d.processes(), Survivors: d.processes()}
	return n, d.err
}
