// Preloaded into a server: SIGUSR2 switches the hook that records calls off, and on again. Both halves of a comparison are then
// one process, because two processes of one build differ by a few hundredths.
import { subscribe } from 'node:diagnostics_channel'

let isOn = true
process.on('SIGUSR2', () => {
  isOn = !isOn
})

const switchable = (hook) => (request, reply, done) => (isOn ? hook(request, reply, done) : done())

subscribe('fastify.initialization', (message) => {
  const { fastify } = /** @type {any} */ (message)
  const { addHook } = fastify
  fastify.addHook = function (name, hook) {
    const isRecorder = name === 'onResponse' && String(hook).includes('tallies.count')
    return addHook.call(this, name, isRecorder ? switchable(hook) : hook)
  }
})
