import type { settings as declared } from './config.ts'

type Declared = typeof declared

/** Every setting, commented out, with its description. */
export const envExample = (settings: Declared) =>
  Object.entries(settings)
    .map(([name, { about, shown }]) => `# ${about.replaceAll('`', '')}\n# ${name}=${shown}\n`)
    .join('\n')

export const settingsTable = (settings: Declared) =>
  [
    '| Variable | Default | Meaning |',
    '|---|---|---|',
    ...Object.entries(settings).map(
      ([name, { about, shown }]) => `| \`${name}\` | ${shown && `\`${shown}\``} | ${about} |`,
    ),
  ].join('\n')

const START = '<!-- settings -->'
const END = '<!-- /settings -->'

export const withSettingsTable = (readme: string, settings: Declared) => {
  const from = readme.indexOf(START) + START.length
  const to = readme.indexOf(END)
  if (from < START.length || to < from) throw new Error(`README.md must contain the markers ${START} and ${END}.`)
  return `${readme.slice(0, from)}\n${settingsTable(settings)}\n${readme.slice(to)}`
}
