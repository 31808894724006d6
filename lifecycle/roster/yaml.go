package roster

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// maxFile bounds the files that are read as YAML.
const maxFile = 1 << 20

// document reads the one YAML document of a text. nil is an empty one.
func document(text []byte) (*yaml.Node, error) {
	if len(text) > maxFile {
		return nil, fmt.Errorf("it is larger than %d bytes", maxFile)
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var root, more yaml.Node
	switch err := decoder.Decode(&root); {
	case errors.Is(err, io.EOF):
		return nil, nil
	case err != nil:
		return nil, errors.New(strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if err := decoder.Decode(&more); !errors.Is(err, io.EOF) {
		return nil, errors.New("it has more than one document")
	}
	if root.Kind == yaml.DocumentNode {
		if len(root.Content) == 0 {
			return nil, nil
		}
		return resolve(root.Content[0]), nil
	}
	return resolve(&root), nil
}

// resolve follows an alias.
func resolve(node *yaml.Node) *yaml.Node {
	for range 16 {
		if node == nil || node.Kind != yaml.AliasNode {
			return node
		}
		node = node.Alias
	}
	return nil
}

// present returns a node, nil if it is missing or null: a key with no value is the same as no key.
func present(node *yaml.Node) *yaml.Node {
	if node = resolve(node); node == nil || node.Kind == yaml.ScalarNode && node.ShortTag() == "!!null" {
		return nil
	}
	return node
}

// fields returns the values of a mapping by their keys. A key that occurs twice, or is no string, comes back in bad.
func fields(mapping *yaml.Node) (values map[string]*yaml.Node, bad string) {
	values = map[string]*yaml.Node{}
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		key := resolve(mapping.Content[i])
		if key == nil || key.Kind != yaml.ScalarNode {
			return nil, "a key that is no string"
		}
		if _, twice := values[key.Value]; twice {
			return nil, "'" + key.Value + "' twice"
		}
		values[key.Value] = resolve(mapping.Content[i+1])
	}
	return values, ""
}

// unknown returns the first key, in their order, that is none of the known ones.
func unknown(values map[string]*yaml.Node, known ...string) string {
	var others []string
	for key := range values {
		if !slices.Contains(known, key) {
			others = append(others, key)
		}
	}
	if len(others) == 0 {
		return ""
	}
	return slices.Min(others)
}

func isMapping(node *yaml.Node) bool  { return node != nil && node.Kind == yaml.MappingNode }
func isSequence(node *yaml.Node) bool { return node != nil && node.Kind == yaml.SequenceNode }

// isString reports whether a node is a text, not a number, a boolean or null that only looks like one.
func isString(node *yaml.Node) bool {
	return node != nil && node.Kind == yaml.ScalarNode && node.ShortTag() == "!!str"
}

// boolean reads true or false.
func boolean(node *yaml.Node) (value, ok bool) {
	if node == nil || node.Kind != yaml.ScalarNode || node.ShortTag() != "!!bool" {
		return false, false
	}
	value, err := strconv.ParseBool(strings.ToLower(node.Value))
	return value, err == nil
}

// whole reads a whole number of 0 or more.
func whole(node *yaml.Node) (value uint64, ok bool) {
	if node == nil || node.Kind != yaml.ScalarNode || node.ShortTag() != "!!int" {
		return 0, false
	}
	value, err := strconv.ParseUint(strings.ReplaceAll(node.Value, "_", ""), 0, 64)
	return value, err == nil
}

// shape names what a node is, for messages.
func shape(node *yaml.Node) string {
	node = resolve(node)
	switch {
	case node == nil:
		return "nothing"
	case node.Kind == yaml.MappingNode:
		return "a mapping"
	case node.Kind == yaml.SequenceNode:
		return "a list"
	}
	switch node.ShortTag() {
	case "!!str":
		return "a string"
	case "!!bool":
		return "a boolean"
	case "!!int", "!!float":
		return "a number"
	case "!!null":
		return "nothing"
	}
	return "a value of type " + node.ShortTag()
}
