import { Copy } from 'lucide-react'
import { useState } from 'react'
import { apiBase } from '../../base-url.ts'
import { Button } from '../../components/Button.tsx'
import { CheckField } from '../../components/Field.tsx'
import { Segments } from '../../components/Segments.tsx'
import { useCopy } from '../../components/useCopy.ts'
import type { Call } from './call.ts'
import { type CodeLanguage, codeOf, LANGUAGES } from './code.ts'
import styles from './Playground.module.css'
import { usePlaygroundWords } from './words.ts'

/** The same call as a command, or a program in two ways. The token is in it only if somebody asks for that. */
export const CodeView = ({ call, token }: { call: Call; token: string | undefined }) => {
  const words = usePlaygroundWords()
  const copy = useCopy()
  const [language, setLanguage] = useState<CodeLanguage>('curl')
  const [withToken, setWithToken] = useState(false)
  const code = codeOf(language, call, {
    baseUrl: location.origin + apiBase,
    token: withToken ? token : undefined,
  })
  return (
    <section className={styles.part}>
      <h2>{words.code}</h2>
      <div className={styles.row}>
        <Segments
          label={words.code}
          values={LANGUAGES}
          nameOf={(one) => words.languages[one]}
          chosen={language}
          onChoose={setLanguage}
        />
        <Button icon={<Copy />} onClick={() => copy(code)}>
          {words.copy}
        </Button>
      </div>
      {/* It scrolls by itself, so it must be focusable by keyboard. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: see above. */}
      <pre className={styles.code} dir="ltr" tabIndex={0}>
        {code}
      </pre>
      {call.operation.takesToken && (
        <>
          {token && <CheckField label={words.withToken} checked={withToken} onChange={setWithToken} />}
          {!(withToken && token) && <p className={styles.help}>{words.codeHelp}</p>}
        </>
      )}
    </section>
  )
}
