// Package cloud has no key management service in the local variant.
package cloud

import (
	"encoding/json"
	"errors"

	"github.com/pulumi/pulumi/pkg/v3/secrets"
	"github.com/pulumi/pulumi/sdk/v3/go/common/workspace"
)

const Type = "cloud"

var errLocal = errors.New("this is the local variant of Pulumi, which has no secrets providers but passphrase; " +
	"use an official release of Pulumi")

func EditProjectStack(*workspace.ProjectStack, json.RawMessage) error {
	return errLocal
}

func NewCloudSecretsManagerFromState(json.RawMessage) (secrets.Manager, error) {
	return nil, errLocal
}

func NewCloudSecretsManager(*workspace.ProjectStack, string, bool) (secrets.Manager, error) {
	return nil, errLocal
}
