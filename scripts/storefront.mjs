#!/usr/bin/env node
import { built } from './built.mjs'

await built('cli/main')
