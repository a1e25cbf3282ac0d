// Package needs imports what generated clients do, so that go.mod names it.
package needs

import _ "github.com/oapi-codegen/runtime"
