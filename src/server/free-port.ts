import { once } from 'node:events'
import { createServer } from 'node:net'
import type { Config } from '../config/config.ts'

const PORTS_TRIED = 20

type Failure = NodeJS.ErrnoException

const tryToListen = async (host: string, port: number): Promise<Failure | undefined> => {
  const server = createServer()
  try {
    server.listen({ host, port, exclusive: true })
    await once(server, 'listening')
  } catch (error) {
    return error as Failure
  }
  server.close()
  await once(server, 'close')
  return undefined
}

const freePortAfter = async (host: string, port: number) => {
  for (let other = port + 1; other <= Math.min(port + PORTS_TRIED, 65535); other++)
    if (!(await tryToListen(host, other))) return other
  return 0
}

/** Explains why the server cannot listen, and which setting helps. */
const adviceOn = async ({ code, message }: Failure, host: string, port: number, setting: (port: number) => string) => {
  if (code === 'EADDRINUSE')
    return `Port ${port} of ${host} is already in use, perhaps by a server that was started before. Try ${setting(await freePortAfter(host, port))}.`
  if (code === 'EACCES') return `This user may not listen on port ${port}. Try ${setting(port + 8000)}.`
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return `${host} is not an address of this machine. Use 127.0.0.1, or 0.0.0.0 for all interfaces.`
  return `The server cannot listen on port ${port} of ${host}: ${message}`
}

const check = async (host: string, port: number, setting: (port: number) => string) => {
  const failure = await tryToListen(host, port)
  if (failure) throw new Error(await adviceOn(failure, host, port, setting))
}

/** Throws, with advice, if the server could not listen. Called before any folder or database is created. */
export const checkPorts = async ({ HOST, PORT, METRICS }: Pick<Config, 'HOST' | 'PORT' | 'METRICS'>) => {
  await check(HOST, PORT, (port) => `PORT=${port}`)
  if (typeof METRICS === 'object') await check(METRICS.host, METRICS.port, (port) => `METRICS=${METRICS.host}:${port}`)
}
