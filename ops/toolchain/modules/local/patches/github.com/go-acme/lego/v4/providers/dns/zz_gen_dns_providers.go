// Package dns has no DNS-challenge providers in the local variant.
package dns

import (
	"fmt"

	"github.com/go-acme/lego/v4/challenge"
)

func NewDNSChallengeProviderByName(name string) (challenge.Provider, error) {
	return nil, fmt.Errorf("DNS provider %q: this is the local variant of Traefik, which has no DNS-challenge providers; "+
		"use an official release of Traefik", name)
}
