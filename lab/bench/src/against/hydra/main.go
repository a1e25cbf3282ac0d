// Ory Hydra. Its own main.go cannot be installed as a Go program, because its go.mod replaces a module by a directory of its
// repository; the replacement that counts is in the go.mod beside this file.
package main

import "github.com/ory/hydra/v2/cmd"

func main() {
	cmd.Execute()
}
