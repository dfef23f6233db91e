import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useStore } from '../../api/store.tsx'
import { Button } from '../../components/Button.tsx'
import { Dialog } from '../../components/Dialog.tsx'
import { TextField } from '../../components/Field.tsx'
import { Loaded } from '../../components/Loaded.tsx'
import { useMessages } from '../../messages/messages.ts'
import styles from './LandingPagePage.module.css'
import { useLandingPageWords } from './words.ts'

export interface Chosen {
  id: string
  title: string
  image: string | null
}

export const chosenOf = (product: {
  id: string
  title: string
  images: readonly { thumbnail: string | null }[]
}): Chosen => ({ id: product.id, title: product.title, image: product.images[0]?.thumbnail ?? null })

/** Shows the product of a page; a dialog finds another one. */
export const ProductPicker = ({
  chosen,
  errors,
  disabled,
  onChoose,
}: {
  chosen: Chosen | undefined
  errors: readonly string[] | undefined
  disabled: boolean
  onChoose: (product: Chosen) => void
}) => {
  const words = useLandingPageWords()
  const { controls } = useMessages()
  const [opened, setOpened] = useState(false)
  return (
    <div className={styles.picker}>
      <span className={styles.label}>{words.product}</span>
      <div>
        {chosen?.image ? <img src={chosen.image} alt="" /> : <span className={styles.noImage} />}
        <span>
          <bdi>{chosen?.title ?? '–'}</bdi>
        </span>
        {!disabled && <Button onClick={() => setOpened(true)}>{chosen ? controls.edit : words.chooseProduct}</Button>}
      </div>
      {errors && errors.length > 0 && <p className={styles.error}>{errors.join(', ')}</p>}
      {opened && (
        <Finder
          onChoose={(product) => {
            onChoose(product)
            setOpened(false)
          }}
          onClose={() => setOpened(false)}
        />
      )}
    </div>
  )
}

const Finder = ({ onChoose, onClose }: { onChoose: (product: Chosen) => void; onClose: () => void }) => {
  const words = useLandingPageWords()
  const { store, client } = useStore()
  const [text, setText] = useState('')
  const [search, setSearch] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setSearch(text.trim()), 200)
    return () => clearTimeout(timer)
  }, [text])
  const query = useQuery({
    queryKey: [store.id, 'products', 'finder', search],
    queryFn: ({ signal }) =>
      client.products.list({ page_size: 8, total: false, ...(search.length > 1 && { search }) }, { signal }),
    placeholderData: keepPreviousData,
  })
  return (
    <Dialog title={words.chooseProduct} onClose={onClose}>
      <TextField
        label={words.findProduct}
        hideLabel
        placeholder={words.findProduct}
        value={text}
        autoFocus
        onChange={({ target }) => setText(target.value)}
      />
      <Loaded query={query}>
        {query.data?.products.length === 0 && <p>{words.noProduct}</p>}
        <ul className={styles.found}>
          {query.data?.products.map(chosenOf).map((product) => (
            <li key={product.id}>
              <button type="button" onClick={() => onChoose(product)}>
                {product.image ? (
                  <img src={product.image} alt="" loading="lazy" />
                ) : (
                  <span className={styles.noImage} />
                )}
                <bdi>{product.title}</bdi>
              </button>
            </li>
          ))}
        </ul>
      </Loaded>
    </Dialog>
  )
}
