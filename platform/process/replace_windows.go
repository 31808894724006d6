package process

import (
	"errors"
	"fmt"
)

// Replace makes a process another program. Windows has no such thing: it always returns an error.
func Replace(name string, _, _ []string) error {
	return fmt.Errorf("cannot become %q: %w", name, errors.ErrUnsupported)
}
