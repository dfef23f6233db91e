import { useRef, useState } from 'react'
import { developerApi } from '../../api/developer.ts'

/** With less left, a call might arrive too late. */
const SHORT_MS = 5_000

export interface Token {
  text: string
  claims: Readonly<Record<string, unknown>>
  /** By the clock of this machine. */
  until: number
}

/** What the token says of itself. Only the server can tell whether it is true. */
const claimsOf = (token: string): Token['claims'] => {
  const part = (token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/')
  const bytes = Uint8Array.from(atob(part), (character) => character.charCodeAt(0))
  return JSON.parse(new TextDecoder().decode(bytes))
}

/** A token of one installation, in memory only. It is asked for with the first call, and again when it has expired. */
export const useToken = (app: string, installation: string) => {
  const current = useRef<Token>(undefined)
  const [token, setToken] = useState<Token>()
  const renew = async () => {
    const { token: text, ttl } = await developerApi.token(app, installation)
    current.current = { text, claims: claimsOf(text), until: Date.now() + ttl * 1000 }
    setToken(current.current)
    return current.current
  }
  const get = async () => {
    const known = current.current
    return known && known.until - Date.now() > SHORT_MS ? known : renew()
  }
  return { token, get, renew }
}
