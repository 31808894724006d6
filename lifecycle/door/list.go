package door

import (
	"encoding/json"
	"strconv"
	"time"
)

const (
	defaultPage = 50
	maxPage     = 100
)

// listParams are the parameters of ListTasks, which only the 1.0 dialect has.
type listParams struct {
	ContextID            string     `json:"contextId"`
	Status               string     `json:"status"`
	PageSize             *int       `json:"pageSize"`
	PageToken            string     `json:"pageToken"`
	StatusTimestampAfter *time.Time `json:"statusTimestampAfter"`
	IncludeArtifacts     bool       `json:"includeArtifacts"`
	Tenant               string     `json:"tenant"`
}

// list answers ListTasks: the tasks that the caller may see, the last changed first, by pages. A page token is an offset; the list may change
// between two pages.
func (s *Server) list(from caller, c call) (any, *rpcError) {
	var params listParams
	if err := json.Unmarshal(c.params, &params); err != nil {
		return nil, badParams("a parameter has the wrong type")
	}
	size, offset := defaultPage, 0
	if params.PageSize != nil {
		size = min(*params.PageSize, maxPage)
	}
	if params.PageToken != "" {
		var err error
		if offset, err = strconv.Atoi(params.PageToken); err != nil || offset < 0 {
			return nil, badParams("pageToken is none that this agent issued")
		}
	}
	switch {
	case params.Tenant != "":
		return nil, badParams("this agent serves no tenants, so omit tenant")
	case size < 1:
		return nil, badParams("pageSize must be at least 1")
	}
	state := stateOf(params.Status)
	anyState := params.Status == "" || params.Status == "TASK_STATE_UNSPECIFIED"
	tasks := s.tasks.list(from.owner(), func(t Task) bool {
		return (params.ContextID == "" || t.Context == params.ContextID) && (anyState || t.State == state) &&
			(params.StatusTimestampAfter == nil || t.Updated.After(*params.StatusTimestampAfter))
	})
	offset = min(offset, len(tasks))
	next, end := "", min(len(tasks), offset+size)
	if end < len(tasks) {
		next = strconv.Itoa(end)
	}
	page := []wireTask{}
	for _, task := range tasks[offset:end] {
		if !params.IncludeArtifacts {
			task.Artifacts = nil
		}
		page = append(page, c.dialect.task(task))
	}
	return map[string]any{"tasks": page, "nextPageToken": next, "pageSize": size, "totalSize": len(tasks)}, nil
}
