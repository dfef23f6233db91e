import { createSocket } from 'node:dgram'
import { Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import { addCleanup } from './cleanup.ts'

/** Returns the addresses of a name. Called for every query, so that they can change between two. */
type Answer = (name: string) => string[]

/** The name in a query, and the offset where the question ends. */
const readQuestion = (message: Buffer) => {
  const labels: string[] = []
  let at = 12
  for (let length = message[at] as number; length > 0; length = message[at] as number) {
    labels.push(message.toString('ascii', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.'), type: message.readUInt16BE(at + 1), end: at + 5 }
}

const reply = (message: Buffer, answer: Answer) => {
  const { name, type, end } = readQuestion(message)
  const addresses = type === 1 ? answer(name) : []
  const header = Buffer.from(message.subarray(0, 12))
  header.writeUInt16BE(0x8180, 2)
  header.writeUInt16BE(addresses.length, 6)
  header.writeUInt32BE(0, 8)
  const records = addresses.map((address) =>
    Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)]),
  )
  return Buffer.concat([header, message.subarray(12, end), ...records])
}

/** A real name server on this machine, and a resolver that uses it. */
export const startNameServer = async (answer: Answer) => {
  const socket = createSocket('udp4')
  const asked: string[] = []
  socket.on('message', (message, { port, address }) => {
    asked.push(readQuestion(message).name)
    socket.send(reply(message, answer), port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  addCleanup(async () => void socket.close())
  const resolver = new Resolver()
  resolver.setServers([`127.0.0.1:${socket.address().port}`])
  const resolve = async (host: string) =>
    (await resolver.resolve4(host)).map((address) => ({ address, family: 4 as const }))
  return { asked, resolve }
}
