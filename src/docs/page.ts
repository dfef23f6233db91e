import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { DemoCredentials } from '../demo/credentials-file.ts'

const START = readFileSync(new URL('./start-page.js', import.meta.url), 'utf8')

const STYLE = `
  body { margin: 0 }
  .scalar-app { --scalar-font: system-ui, -apple-system, 'Segoe UI', sans-serif; --scalar-font-code: ui-monospace, 'SF Mono', Menlo, Consolas, monospace }
  .scalar-app .markdown table { display: block; max-width: 100%; overflow-x: auto }
  .scalar-app .markdown td:first-child code { white-space: nowrap }
  .scalar-app .markdown td:not(:first-child) code { overflow-wrap: anywhere }
  .scalar-app [tabindex='-1']:focus, .scalar-app section:focus { outline: none }
  noscript { display: block; margin: 3rem auto; max-width: 40rem; font-family: system-ui, sans-serif }
`

const sha256 = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** JSON escaped for a script element. */
const inScript = (value: unknown) => JSON.stringify(value).replaceAll('<', '\\u003c')

/** Allows requests to this origin only, and no other scripts: not even one injected through a product's description. */
export const PAGE_POLICY = [
  "default-src 'none'",
  `script-src 'self' ${sha256(START)}`,
  // The page's script sets inline styles.
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "media-src 'self' blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self' blob:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The page: an empty element, the script that renders into it, and the script's configuration. */
export const pageHtml = (script: string, demo: DemoCredentials | undefined) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Storefront Apps API</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<div id="reference"></div>
<noscript>This page needs JavaScript. The same is in <a href="openapi.json">openapi.json</a>.</noscript>
<script type="application/json" id="settings">${inScript({ demo })}</script>
<script src="docs/${script}"></script>
<script>${START}</script>
</body>
</html>
`
