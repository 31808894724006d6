package credential

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"murlua/lifecycle/id"
)

// Address says where a member's door is.
type Address struct {
	Name string `json:"name"`
	URL  string `json:"url"` // "http://host:port"
}

// RenderAddresses returns the channel line that tells a member where those that it may call are, with its line end.
// A later line adds to an earlier one, or replaces what it said.
func RenderAddresses(addresses []Address) []byte {
	line := struct {
		Addresses []Address `json:"addresses"`
	}{append([]Address{}, addresses...)}
	return append(compact(line), '\n')
}

// ParseAddresses reads an address line, without its line end. The error names what is wrong by its position and never quotes the line.
func ParseAddresses(line []byte) ([]Address, error) {
	object, err := lineObject(line, "an address line")
	if err != nil {
		return nil, err
	}
	var entries []json.RawMessage
	if value := object["addresses"]; len(value) == 0 || value[0] != '[' || json.Unmarshal(value, &entries) != nil {
		return nil, errors.New("an address line has no addresses array")
	}
	addresses := make([]Address, len(entries))
	for i, entry := range entries {
		var fields map[string]json.RawMessage
		_ = json.Unmarshal(entry, &fields)
		name, named := textOf(fields, "name")
		url, located := textOf(fields, "url")
		switch {
		case !named:
			return nil, fmt.Errorf("addresses[%d] has no string name", i)
		case !located:
			return nil, fmt.Errorf("addresses[%d] has no string url", i)
		case !id.ValidMember(name):
			return nil, fmt.Errorf("addresses[%d].name is not a member name", i)
		case !ValidURL(url):
			return nil, fmt.Errorf("addresses[%d].url is not http://host:port", i)
		}
		addresses[i] = Address{Name: name, URL: url}
	}
	return addresses, nil
}

// ValidURL reports whether a text is "http://host:port" and nothing more, with a port from 1 to 65535.
func ValidURL(url string) bool {
	rest, found := strings.CutPrefix(url, "http://")
	at := strings.LastIndexByte(rest, ':')
	if !found || at < 1 {
		return false
	}
	host, digits := rest[:at], rest[at+1:]
	port, err := strconv.ParseUint(digits, 10, 16)
	if err != nil || port == 0 {
		return false
	}
	if inner, ok := strings.CutPrefix(host, "["); ok {
		inner, ok = strings.CutSuffix(inner, "]")
		return ok && inner != "" && !strings.ContainsFunc(inner, func(r rune) bool { return !hostRune(r) && r != ':' })
	}
	return !strings.ContainsFunc(host, func(r rune) bool { return !hostRune(r) })
}

func hostRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '-' || r == '_'
}
