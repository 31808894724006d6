package running

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

var (
	errNotJSON   = errors.New("not one JSON value in UTF-8")
	errNotObject = errors.New("not a JSON object")
	errTooDeep   = errors.New("nested too deeply")
)

// maxDepth is how deep encoding/json reads.
const maxDepth = 10_000

// checkJSON sees that text is one JSON value and nothing else, so that what follows may take its form
// for granted.
func checkJSON(text []byte) error {
	switch {
	case !utf8.Valid(text):
		return errNotJSON
	case json.Valid(text):
		return nil
	case deeperThan(text, maxDepth):
		return errTooDeep
	}
	return errNotJSON
}

func deeperThan(text []byte, limit int) bool {
	depth, deepest := 0, 0
	for at := 0; at < len(text); at++ {
		switch text[at] {
		case '"':
			at = stringEnd(text, at) - 1
		case '{', '[':
			depth++
			deepest = max(deepest, depth)
		case '}', ']':
			depth--
		}
	}
	return deepest > limit
}

// eachMember calls with every key and value of an object, in the order of the text, duplicates
// included. text has passed checkJSON.
func eachMember(text []byte, call func(key string, value []byte) error) error {
	at := skipSpace(text, 0)
	if at == len(text) || text[at] != '{' {
		return errNotObject
	}
	for at = skipSpace(text, at+1); text[at] != '}'; at = skipSpace(text, at) {
		if text[at] == ',' {
			at = skipSpace(text, at+1)
		}
		end := stringEnd(text, at)
		key, err := unquote(text[at:end])
		if err != nil {
			// No key that is known is spelled with half a character.
			key = ""
		}
		at = skipSpace(text, end)
		at = skipSpace(text, at+1) // the colon
		end = valueEnd(text, at)
		if err := call(key, text[at:end]); err != nil {
			return err
		}
		at = end
	}
	return nil
}

func skipSpace(text []byte, at int) int {
	for at < len(text) && strings.IndexByte(" \t\r\n", text[at]) >= 0 {
		at++
	}
	return at
}

// stringEnd is where the string that begins at ends, its closing quote included.
func stringEnd(text []byte, at int) int {
	for at++; at < len(text) && text[at] != '"'; at++ {
		if text[at] == '\\' {
			at++
		}
	}
	return min(at+1, len(text))
}

// valueEnd is where the value that begins at ends.
func valueEnd(text []byte, at int) int {
	depth := 0
	for at < len(text) {
		switch text[at] {
		case '"':
			at = stringEnd(text, at)
		case '{', '[':
			depth++
			at++
		case '}', ']':
			depth--
			at++
		case ',', ':', ' ', '\t', '\r', '\n':
			at++
		default:
			at += max(1, bytes.IndexAny(text[at:], ",:]} \t\r\n"))
		}
		if depth == 0 {
			return at
		}
	}
	return at
}

func asString(value []byte) (string, error) {
	if value[0] != '"' {
		return "", errors.New("not a string")
	}
	return unquote(value)
}

// unquote reads a string. Half of a surrogate pair is no character, and refused, where encoding/json
// puts another in its place.
func unquote(quoted []byte) (string, error) {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return string(quoted[1 : len(quoted)-1]), nil
	}
	if halfSurrogate(quoted) {
		return "", errors.New("half of a surrogate pair")
	}
	var text string
	err := json.Unmarshal(quoted, &text)
	return text, err
}

func halfSurrogate(quoted []byte) bool {
	for at := 0; at < len(quoted)-1; at++ {
		if quoted[at] != '\\' {
			continue
		}
		at++
		if quoted[at] != 'u' {
			continue
		}
		first := hexRune(quoted, at+1)
		at += 4
		if !utf16.IsSurrogate(first) {
			continue
		}
		if !bytes.HasPrefix(quoted[at+1:], []byte(`\u`)) || utf16.DecodeRune(first, hexRune(quoted, at+3)) == utf8.RuneError {
			return true
		}
		at += 6
	}
	return false
}

func hexRune(text []byte, at int) rune {
	value, _ := strconv.ParseUint(string(text[at:min(at+4, len(text))]), 16, 32)
	return rune(value)
}

func asBool(value []byte) (bool, error) {
	switch string(value) {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, errors.New("not true or false")
}

// asPID reads a whole number of 0 to 2^32-1, written as such: no sign, fraction or exponent.
func asPID(value []byte) (int, error) {
	number, err := strconv.ParseUint(string(value), 10, 32)
	if err != nil || value[0] == '+' {
		return 0, errors.New("not a whole number from 0 to 4294967295")
	}
	return int(number), nil
}

func isNull(value []byte) bool { return string(value) == "null" }
