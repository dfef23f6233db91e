#!/usr/bin/env node
import './prepare.mjs'

await import('../dist/cli/main.js')
