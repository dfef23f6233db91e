import './prepare.mjs'

await import('../dist/server/main.js')
