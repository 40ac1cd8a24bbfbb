// Package ecs has no client of AWS in the local variant.
package ecs

import (
	"errors"

	"github.com/traefik/traefik/v3/pkg/config/dynamic"
	"github.com/traefik/traefik/v3/pkg/safe"
)

const ProviderName = "ecs"

type Provider struct{}

func (p *Provider) SetDefaults() {}

func (p *Provider) Init() error {
	return errors.New("this is the local variant of Traefik, which has no provider ecs; use an official release of Traefik")
}

func (p *Provider) Provide(chan<- dynamic.Message, *safe.Pool) error {
	return p.Init()
}
