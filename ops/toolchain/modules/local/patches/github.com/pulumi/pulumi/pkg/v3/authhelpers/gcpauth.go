// Package authhelpers has no cloud credentials in the local variant.
package authhelpers

import (
	"context"
	"errors"

	"gocloud.dev/blob"
)

func GoogleCredentialsMux(context.Context) (*blob.URLMux, error) {
	return nil, errors.New("this is the local variant of Pulumi, which has no state backend gs://; " +
		"use an official release of Pulumi")
}
