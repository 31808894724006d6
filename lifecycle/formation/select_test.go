package formation

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSelectTakesWhatTheMembersNeed(t *testing.T) {
	plan := Plan{Members: []Member{
		{Name: "db"},
		{Name: "cache"},
		{Name: "api", After: []string{"db"}},
		{Name: "web", Calls: []string{"api"}},
		{Name: "lead", Entry: true, Calls: []string{"web"}},
	}}
	for name, c := range map[string]struct {
		only, except, want []string
		err                string
	}{
		"all":                   {want: []string{"db", "cache", "api", "web", "lead"}},
		"one that needs none":   {only: []string{"cache"}, want: []string{"cache"}},
		"needs of needs":        {only: []string{"web"}, want: []string{"db", "api", "web"}},
		"two":                   {only: []string{"cache", "api"}, want: []string{"db", "cache", "api"}},
		"without one":           {except: []string{"cache"}, want: []string{"db", "api", "web", "lead"}},
		"both":                  {only: []string{"api"}, except: []string{"cache"}, want: []string{"db", "api"}},
		"without a needed one":  {except: []string{"db"}, err: `cannot leave out "db": "api" needs it`},
		"needed after all":      {only: []string{"web"}, except: []string{"api"}, err: `cannot leave out "api": "web" needs it`},
		"nobody":                {except: []string{"db", "cache", "api", "web", "lead"}, err: "cannot leave out every member"},
		"a stranger":            {only: []string{"nemo"}, err: `cannot select "nemo": it is not a member; the members are db, cache, api, web, lead`},
		"a stranger to exclude": {except: []string{"nemo"}, err: `cannot select "nemo"`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := plan.Select(c.only, c.except)
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Fatalf("got %v, want an error with %q", err, c.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got.names()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestNothingIsLeftOutOfNothing(t *testing.T) {
	chosen, err := Plan{}.Select(nil, nil)
	if err != nil || len(chosen.Members) != 0 {
		t.Error(chosen, err) // that there is no member is for Check to say
	}
}
