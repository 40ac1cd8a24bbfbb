package ecs
