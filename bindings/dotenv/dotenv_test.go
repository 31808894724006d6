package dotenv

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func lookup(name string) string {
	if name == "HOME" {
		return "/home/x"
	}
	return ""
}

func TestParse(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       []Variable
	}{
		{"nothing", "", nil},
		{"comments and blanks", "# a\n\n  # b\n", nil},
		{"plain", "A=1\nB = two words \n", []Variable{{"A", "1"}, {"B", "two words"}}},
		{"no line end", "A=1", []Variable{{"A", "1"}}},
		{"carriage returns", "A=1\r\nB=\"x\"\r\n", []Variable{{"A", "1"}, {"B", "x"}}},
		{"empty", "A=\nB=''\n", []Variable{{"A", ""}, {"B", ""}}},
		{"export", "export A=1\nexported=2\n", []Variable{{"A", "1"}, {"exported", "2"}}},
		{"comment after it", "A=1 # one\nB=a#b\nC='x' # c\n", []Variable{{"A", "1"}, {"B", "a#b"}, {"C", "x"}}},
		{"single quotes", `A='$HOME \n "x"'`, []Variable{{"A", `$HOME \n "x"`}}},
		{"double quotes", `A="$HOME/a \"q\" \\ \$HOME\n"`, []Variable{{"A", "/home/x/a \"q\" \\ $HOME\n"}}},
		{"several lines", "A=\"1\n2\"\nB='3\n4'\nC=5\n", []Variable{{"A", "1\n2"}, {"B", "3\n4"}, {"C", "5"}}},
		{"earlier ones", "A=1\nB=${A}2$NONE\n", []Variable{{"A", "1"}, {"B", "12"}}},
		{"twice", "A=1\nA=2\n", []Variable{{"A", "1"}, {"A", "2"}}},
		{"an equals sign", "A=b=c\n", []Variable{{"A", "b=c"}}},
		{"a mark of byte order", "\ufeffA=1\n", []Variable{{"A", "1"}}},
		{"a letter of several bytes", `A="\ä"`, []Variable{{"A", "ä"}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := Parse(test.text, lookup)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestRefusals(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"A=1\nnonsense\n", "line 2: it has no '='"},
		{"1A=2", "line 1: what stands before '=' is not a name of letters, digits and '_'"},
		{"=2", "line 1: what stands before '=' is not a name of letters, digits and '_'"},
		{"A='1", "line 1: a single quote is not closed"},
		{"\n\nA=\"1\\\"", "line 3: a double quote is not closed"},
		{"A='1\n2'\nB='3' x", "line 3: something follows the closing quote"},
	} {
		_, err := Parse(test.text, lookup)
		var syntax *SyntaxError
		if !errors.As(err, &syntax) || err.Error() != test.want {
			t.Errorf("%q: %v, want %s", test.text, err, test.want)
		}
	}
}

func TestExpand(t *testing.T) {
	for text, want := range map[string]string{
		"$HOME": "/home/x", "${HOME}x": "/home/xx", "$$HOME": "$HOME", "$": "$", "$1": "$1", "${": "${", "${a b}": "${a b}", "a$NONE.b": "a.b",
		`\n`: `\n`,
	} {
		if got := Expand(text, lookup, false); got != want {
			t.Errorf("%q gives %q, want %q", text, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"A=1\n", "A=\"$B\\n\"\n", "export A='x' # y", "A=${", "\"", "A=\"\\"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		variables, err := Parse(text, lookup)
		if err != nil {
			return
		}
		for _, v := range variables {
			if !ValidName(v.Name) {
				t.Errorf("%q gave the name %q", text, v.Name)
			}
		}
	})
}
