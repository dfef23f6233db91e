import './prepare.mjs'

await import('../dist/main.js')
