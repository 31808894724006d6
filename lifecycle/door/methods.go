package door

// operation is what a method does, whichever name it was called by.
type operation int

const (
	opSend operation = iota
	opStream
	opWatch
	opGet
	opList
	opCancel
	opSubscribe
	opStop
	opExtendedCard
	opPush // the push notification methods, which this door does not have
)

// method is one name by which an operation is called. The name is also the scope that a token needs for it; the extended
// card needs none.
type method struct {
	name    string
	op      operation
	dialect dialect
	// own marks murmur's own methods, which had these names before and after the change of dialect: they are answered in
	// the dialect that the version header tells.
	own bool
}

// methods lists every method of the door: those of A2A 1.0, those of 0.3, and murmur's own.
var methods = [...]method{
	{name: "SendMessage", op: opSend},
	{name: "SendStreamingMessage", op: opStream},
	{name: "murmur.WatchSession", op: opWatch},
	{name: "GetTask", op: opGet},
	{name: "ListTasks", op: opList},
	{name: "CancelTask", op: opCancel},
	{name: "SubscribeToTask", op: opSubscribe},
	{name: "murmur.StopSession", op: opStop},
	{name: extendedCardMethod, op: opExtendedCard},
	{name: "message/send", op: opSend, dialect: v03},
	{name: "message/stream", op: opStream, dialect: v03},
	{name: "stream/watch", op: opWatch, own: true},
	{name: "tasks/get", op: opGet, dialect: v03},
	{name: "tasks/cancel", op: opCancel, dialect: v03},
	{name: "tasks/resubscribe", op: opSubscribe, dialect: v03},
	{name: "session/stop", op: opStop, own: true},
	{name: oldExtendedCardMethod, op: opExtendedCard, dialect: v03},
	{name: "CreateTaskPushNotificationConfig", op: opPush},
	{name: "GetTaskPushNotificationConfig", op: opPush},
	{name: "ListTaskPushNotificationConfigs", op: opPush},
	{name: "DeleteTaskPushNotificationConfig", op: opPush},
	{name: "tasks/pushNotificationConfig/set", op: opPush, dialect: v03},
	{name: "tasks/pushNotificationConfig/get", op: opPush, dialect: v03},
	{name: "tasks/pushNotificationConfig/list", op: opPush, dialect: v03},
	{name: "tasks/pushNotificationConfig/delete", op: opPush, dialect: v03},
}

func methodNamed(name string) (method, bool) {
	for _, m := range methods {
		if m.name == name {
			return m, true
		}
	}
	return method{}, false
}

// startsTasks reports whether an operation is there only when the capsule takes tasks.
func (op operation) startsTasks() bool { return op == opSend || op == opStream || op == opSubscribe }
