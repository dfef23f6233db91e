// Writes .env.example and the README's table from the schema of the settings.
import { readFileSync, writeFileSync } from 'node:fs'
import { built } from './built.mjs'

const { settings } = await built('config/config')
const { envExample, withSettingsTable } = await built('config/settings-documents')

const at = (name) => new URL(`../${name}`, import.meta.url)
writeFileSync(at('.env.example'), envExample(settings))
writeFileSync(at('README.md'), withSettingsTable(readFileSync(at('README.md'), 'utf8'), settings))
