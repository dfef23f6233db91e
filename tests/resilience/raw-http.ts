import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import path from 'node:path'

/** Sends raw bytes that no HTTP client would send. Returns everything received within the time. */
export const exchange = (port: number, bytes: string | Buffer, ms = 800) =>
  new Promise<string>((resolve) => {
    let answer = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    const late = setTimeout(() => socket.destroy(), ms)
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1')
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      clearTimeout(late)
      resolve(answer)
    })
  })

/** The statuses of the replies, in order. */
export const statusesIn = (answer: string) =>
  [...answer.matchAll(/HTTP\/1\.[01] (\d{3}) /g)].map(([, status]) => Number(status))

const FOLDERS = ['/usr/sbin', '/usr/bin', '/usr/local/bin', '/usr/local/sbin', '/opt/homebrew/bin']

/** Path of an installed tool. Tests that need a missing tool are skipped with a message. */
export const findTool = (name: string) =>
  FOLDERS.map((folder) => path.join(folder, name)).find((file) => existsSync(file))

/** Runs a tool to its end or until the timeout. Returns its output. */
export const runTool = (file: string, args: string[], ms: number) =>
  new Promise<{ output: string; timedOut: boolean }>((resolve) => {
    let output = ''
    let timedOut = false
    const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    const late = setTimeout(() => {
      timedOut = true
      child.kill('SIGKILL')
    }, ms)
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
    child.on('close', () => {
      clearTimeout(late)
      resolve({ output, timedOut })
    })
  })
