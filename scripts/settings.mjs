// Writes .env.example and the README's table from the schema of the settings.
import './prepare.mjs'
import { readFileSync, writeFileSync } from 'node:fs'

const { settings } = await import('../dist/config/config.js')
const { envExample, withSettingsTable } = await import('../dist/config/settings-documents.js')

const at = (name) => new URL(`../${name}`, import.meta.url)
writeFileSync(at('.env.example'), envExample(settings))
writeFileSync(at('README.md'), withSettingsTable(readFileSync(at('README.md'), 'utf8'), settings))
