import type { FastifyRequest } from 'fastify'
import { expect, test } from 'vitest'
import { readConfig } from '../../config/config.ts'
import { clientAddress, networkOf } from './client-address.ts'

const addressOf = (TRUST_PROXY: string, from: string, forwarded?: string) =>
  clientAddress(
    { headers: { 'x-forwarded-for': forwarded }, socket: { remoteAddress: from } } as unknown as FastifyRequest,
    readConfig({ TRUST_PROXY }).TRUST_PROXY,
  )

test.each([
  // No proxy is trusted, or fewer than there are.
  ['false', '127.0.0.1', '203.0.113.9', '127.0.0.1'],
  ['', '127.0.0.1', '203.0.113.9', '127.0.0.1'],
  ['192.0.2.1', '127.0.0.1', '203.0.113.9', '127.0.0.1'],
  // A number of proxies: the address that the outermost of them appended.
  ['1', '127.0.0.1', '203.0.113.9', '203.0.113.9'],
  ['1', '127.0.0.1', '203.0.113.9, 198.51.100.1', '198.51.100.1'],
  ['2', '127.0.0.1', '203.0.113.9, 198.51.100.1, 10.0.0.1', '198.51.100.1'],
  ['2', '127.0.0.1', '198.51.100.1', '198.51.100.1'],
  ['3', '127.0.0.1', undefined, '127.0.0.1'],
  // Proxies by address: the first address from the right that is not a proxy.
  ['127.0.0.1,10.0.0.0/8', '127.0.0.1', '203.0.113.9, 198.51.100.1, 10.9.8.7', '198.51.100.1'],
  ['10.0.0.0/8', '::ffff:10.1.2.3', '203.0.113.9', '203.0.113.9'],
  ['10.0.0.0/8', '::ffff:10.1.2.3', '::ffff:203.0.113.9', '203.0.113.9'],
  ['2001:db8::/32', '2001:db8::1', '2001:db8::2, 203.0.113.9', '203.0.113.9'],
  // Ports and brackets are stripped; the search stops at anything that is not an address.
  ['1', '127.0.0.1', '203.0.113.9:4711', '203.0.113.9'],
  ['1', '127.0.0.1', '[2001:db8::9]:4711', '2001:db8::9'],
  ['1', '127.0.0.1', 'unknown', '127.0.0.1'],
  ['2', '127.0.0.1', "203.0.113.9', 10.0.0.1", '10.0.0.1'],
  ['1', '127.0.0.1', 'x'.repeat(10_000), '127.0.0.1'],
])(
  'with TRUST_PROXY=%s, a connection from %s with X-Forwarded-For %s has the client address %s',
  (trusted, from, forwarded, expected) => {
    expect(addressOf(trusted, from, forwarded)).toBe(expected)
  },
)

test('IPv6 clients are counted by their /64 network', () => {
  expect(networkOf('203.0.113.9')).toBe('203.0.113.9')
  for (const address of ['2001:db8::1', '2001:DB8:0:0::ffff', '2001:0db8:0000:0000:1:2:3:4', '2001:db8::1%eth0'])
    expect(networkOf(address)).toBe('2001:db8:0:0::/64')
  expect(networkOf('::1')).toBe('0:0:0:0::/64')
  expect(networkOf('64:ff9b:1:2:3::1.2.3.4')).toBe('64:ff9b:1:2::/64')
})
