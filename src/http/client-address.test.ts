import type { FastifyRequest } from 'fastify'
import { expect, test } from 'vitest'
import { readConfig } from '../config/config.ts'
import { clientAddress, networkOf } from './client-address.ts'

const addressOf = (TRUST_PROXY: string, from: string, forwarded?: string) =>
  clientAddress(
    { headers: { 'x-forwarded-for': forwarded }, socket: { remoteAddress: from } } as unknown as FastifyRequest,
    readConfig({ TRUST_PROXY }).TRUST_PROXY,
  )

test.each([
  // Nobody is trusted, or too few.
  ['false', '127.0.0.1', '203.0.113.9', '127.0.0.1'],
  ['', '127.0.0.1', '203.0.113.9', '127.0.0.1'],
  ['192.0.2.1', '127.0.0.1', '203.0.113.9', '127.0.0.1'],
  // So many proxies: what the furthest of them appended.
  ['1', '127.0.0.1', '203.0.113.9', '203.0.113.9'],
  ['1', '127.0.0.1', '203.0.113.9, 198.51.100.1', '198.51.100.1'],
  ['2', '127.0.0.1', '203.0.113.9, 198.51.100.1, 10.0.0.1', '198.51.100.1'],
  ['2', '127.0.0.1', '198.51.100.1', '198.51.100.1'],
  ['3', '127.0.0.1', undefined, '127.0.0.1'],
  // Proxies by their addresses: the first that is none of them.
  ['127.0.0.1,10.0.0.0/8', '127.0.0.1', '203.0.113.9, 198.51.100.1, 10.9.8.7', '198.51.100.1'],
  ['10.0.0.0/8', '::ffff:10.1.2.3', '203.0.113.9', '203.0.113.9'],
  ['10.0.0.0/8', '::ffff:10.1.2.3', '::ffff:203.0.113.9', '203.0.113.9'],
  ['2001:db8::/32', '2001:db8::1', '2001:db8::2, 203.0.113.9', '203.0.113.9'],
  // Ports and brackets are left off; what is no address ends the way.
  ['1', '127.0.0.1', '203.0.113.9:4711', '203.0.113.9'],
  ['1', '127.0.0.1', '[2001:db8::9]:4711', '2001:db8::9'],
  ['1', '127.0.0.1', 'unknown', '127.0.0.1'],
  ['2', '127.0.0.1', "203.0.113.9', 10.0.0.1", '10.0.0.1'],
  ['1', '127.0.0.1', 'x'.repeat(10_000), '127.0.0.1'],
])('with TRUST_PROXY=%s, from %s on behalf of %s, the caller is %s', (trusted, from, forwarded, expected) => {
  expect(addressOf(trusted, from, forwarded)).toBe(expected)
})

test('addresses of IPv6 are counted by their network of 64 bits', () => {
  expect(networkOf('203.0.113.9')).toBe('203.0.113.9')
  for (const address of ['2001:db8::1', '2001:DB8:0:0::ffff', '2001:0db8:0000:0000:1:2:3:4', '2001:db8::1%eth0'])
    expect(networkOf(address)).toBe('2001:db8:0:0::/64')
  expect(networkOf('::1')).toBe('0:0:0:0::/64')
  expect(networkOf('64:ff9b:1:2:3::1.2.3.4')).toBe('64:ff9b:1:2::/64')
})
