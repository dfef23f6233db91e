import { useEffect, useState } from 'react'
import { Button } from '../../components/Button.tsx'
import { Ltr } from '../../components/Ltr.tsx'
import { When } from '../../components/When.tsx'
import styles from './Playground.module.css'
import type { Token } from './useToken.ts'
import { type PlaygroundWords, usePlaygroundWords } from './words.ts'

const isTime = (name: string) => name === 'iat' || name === 'exp'

/** `4:07` */
const clock = (ms: number) => {
  const seconds = Math.ceil(ms / 1000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

const useTimeLeft = (until: number | undefined) => {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    if (until === undefined) return
    setNow(Date.now())
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [until])
  return until === undefined ? 0 : Math.max(0, until - now)
}

interface TokenLineProps {
  token: Token | undefined
  app: string
  store: string
  onRenew: () => Promise<unknown>
}

/** What the token says, and for how long it is valid. */
export const TokenLine = ({ token, app, store, onRenew }: TokenLineProps) => {
  const words = usePlaygroundWords()
  const left = useTimeLeft(token?.until)
  const meaning: Record<string, string> = { sub: app, ins: store }
  return (
    <div className={styles.token}>
      <p>
        <strong>{words.token}</strong>{' '}
        <span className={styles.help}>
          {!token && words.tokenNone}
          {token && (left > 0 ? words.tokenLeft(clock(left)) : words.tokenOver)}
        </span>
      </p>
      <Button onClick={onRenew}>{token ? words.renew : words.getToken}</Button>
      {token && (
        <details className={styles.details}>
          <summary>{words.claimsOf}</summary>
          <dl>
            {Object.entries(token.claims).map(([name, value]) => (
              <div key={name}>
                <dt>
                  <Ltr>{name}</Ltr> {words.claims[name as keyof PlaygroundWords['claims']] ?? ''}
                </dt>
                <dd>
                  {isTime(name) ? (
                    <When at={new Date(Number(value) * 1000).toISOString()} />
                  ) : (
                    <Ltr>{String(value)}</Ltr>
                  )}{' '}
                  {meaning[name] && <bdi>{meaning[name]}</bdi>}
                </dd>
              </div>
            ))}
          </dl>
        </details>
      )}
    </div>
  )
}
