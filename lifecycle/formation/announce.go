package formation

import "encoding/json"

// Announcement returns what murmur's launcher prints with --json when all peers are ready: one line of JSON with its line
// end, without any token.
func (f *Formation) Announcement() []byte {
	type peer struct {
		Name    string `json:"name"`
		PID     int    `json:"pid"`
		Session string `json:"session_id"`
		URL     string `json:"url"`
		Workdir string `json:"workdir"`
	}
	announcement := struct {
		Entry     string `json:"entry"`
		Formation string `json:"formation_id"`
		Peers     []peer `json:"peers"`
	}{Formation: string(f.ID()), Peers: []peer{}}
	if entry, ok := f.plan.Entry(); ok {
		announcement.Entry = entry.Name
	}
	for _, p := range f.Peers() {
		announcement.Peers = append(announcement.Peers, peer{p.Name, p.PID, p.Session, p.URL, p.Workdir})
	}
	text, err := json.Marshal(announcement)
	if err != nil {
		return nil // strings and numbers always encode
	}
	return append(text, '\n')
}
