// Verifies X-idp-jwt. Usage: ISSUER=https://authentik.example.org/application/o/gatehouse-identity/ AUDIENCE=gatehouse-identity go run . < token
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/coreos/go-oidc/v3/oidc"
)

// Identity is what the application wants to know.
type Identity struct {
	PreferredUsername string   `json:"preferred_username"`
	Groups            []string `json:"groups"`
}

// IdentityOf fails when the token is not the gateway's.
func IdentityOf(ctx context.Context, issuer, audience, token string) (identity Identity, err error) {
	keys := oidc.NewRemoteKeySet(ctx, issuer+"jwks/")
	config := &oidc.Config{ClientID: audience, SupportedSigningAlgs: []string{oidc.RS256}}
	verified, err := oidc.NewVerifier(issuer, keys, config).Verify(ctx, token)
	if err == nil {
		err = verified.Claims(&identity)
	}
	return identity, err
}

func main() {
	token, err := io.ReadAll(os.Stdin)
	if err == nil {
		var identity Identity
		identity, err = IdentityOf(context.Background(), os.Getenv("ISSUER"), os.Getenv("AUDIENCE"), strings.TrimSpace(string(token)))
		if err == nil {
			err = json.NewEncoder(os.Stdout).Encode(identity)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
