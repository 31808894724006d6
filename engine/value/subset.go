package value

// Includes reports whether got has everything that part has: the fields of part, each including part's value; for
// each item of part's list one in got's list that includes it; and equal values where part is no table.
func Includes(got, part Value) bool { return includes(got, part, 0) }

// maxIncludesDepth ends the comparison of parts that contain themselves; they count as included there.
const maxIncludesDepth = 100

func includes(got, part Value, depth int) bool {
	if part.Kind != Table || got.Kind != Table {
		return Equal(got, part)
	}
	if depth > maxIncludesDepth {
		return true
	}
	for _, wanted := range part.Table.List {
		found := false
		for _, item := range got.Table.List {
			if found = includes(item, wanted, depth+1); found {
				break
			}
		}
		if !found {
			return false
		}
	}
	has := newFieldIndex(got.Table.Fields)
	for _, field := range part.Table.Fields {
		v, ok := has.find(field.Key)
		if !ok || !includes(v, field.Value, depth+1) {
			return false
		}
	}
	return true
}

// Project returns got without the fields that part does not have, in depth, so that a diff of the two shows only
// what part is about. Lists stay whole.
func Project(got, part Value) Value { return project(got, part, 0) }

func project(got, part Value, depth int) Value {
	if got.Kind != Table || part.Kind != Table || depth > maxIncludesDepth {
		return got
	}
	has := newFieldIndex(got.Table.Fields)
	kept := &Contents{List: got.Table.List, Cut: got.Table.Cut}
	if len(part.Table.List) == 0 {
		kept.List = nil
	}
	for _, field := range part.Table.Fields {
		if v, ok := has.find(field.Key); ok {
			kept.Fields = append(kept.Fields, Field{Key: field.Key, Value: project(v, field.Value, depth+1)})
		}
	}
	return Value{Kind: Table, Table: kept}
}
