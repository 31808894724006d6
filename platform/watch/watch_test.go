package watch

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMerge(t *testing.T) {
	for _, test := range []struct {
		name   string
		events []Event
		want   []Event
	}{
		{"one", []Event{{"a", Changed}}, []Event{{"a", Changed}}},
		{"written after it was made", []Event{{"a", Created}, {"a", Changed}, {"a", Changed}}, []Event{{"a", Created}}},
		{"made and removed", []Event{{"a", Created}, {"b", Changed}, {"a", Removed}}, []Event{{"b", Changed}}},
		{"replaced", []Event{{"a", Removed}, {"a", Created}}, []Event{{"a", Changed}}},
		{"changed and removed", []Event{{"a", Changed}, {"a", Removed}}, []Event{{"a", Removed}}},
		{"in order of the first change", []Event{{"b", Changed}, {"a", Changed}, {"b", Changed}}, []Event{{"b", Changed}, {"a", Changed}}},
		{"made, removed, made", []Event{{"a", Created}, {"a", Removed}, {"a", Created}}, []Event{{"a", Created}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			q := newQueue()
			for _, event := range test.events {
				q.add(event)
			}
			q.end(ErrClosed)
			var got []Event
			for {
				event, err := q.next(t.Context())
				if err != nil {
					if err != ErrClosed {
						t.Fatal(err)
					}
					break
				}
				got = append(got, event)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}
