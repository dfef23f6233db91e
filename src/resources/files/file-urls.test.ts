import { expect, test } from 'vitest'
import { createFileUrls, verifyFileUrl } from './file-urls.ts'

test('a remembered signature is valid for its own file and expiry time only', () => {
  const urls = createFileUrls('http://shop.example/files', Buffer.alloc(32, 1), 3600)
  const soon = Math.floor(Date.now() / 1000) + 60
  const isValid = (signature: string, file: string, expires: number) =>
    verifyFileUrl(urls, { store: 's', file, served: 'file', expires, signature })
  const [first, again, later, other] = [
    urls.sign('s/a', soon),
    urls.sign('s/a', soon),
    urls.sign('s/a', soon + 60),
    urls.sign('s/b', soon + 60),
  ]
  expect(again).toBe(first)
  expect([isValid(first, 'a', soon), isValid(later, 'a', soon + 60), isValid(other, 'b', soon + 60)]).toEqual([
    true,
    true,
    true,
  ])
  expect([isValid(first, 'a', soon + 60), isValid(later, 'b', soon + 60)]).toEqual([false, false])
  expect(createFileUrls(urls.base, Buffer.alloc(32, 2), 3600).sign('s/a', soon)).not.toBe(first)
})
