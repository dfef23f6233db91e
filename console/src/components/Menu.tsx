import { Check } from 'lucide-react'
import {
  cloneElement,
  createContext,
  type HTMLAttributes,
  type KeyboardEvent,
  type ReactElement,
  type ReactNode,
  useContext,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import styles from './Menu.module.css'
import { usePending } from './usePending.ts'

/** Between the button and the menu, and between the menu and the edge of the window. */
const GAP = 6

type Align = 'start' | 'end'

/** Below the button where there is room, and above it otherwise. */
const place = (popup: HTMLElement, button: HTMLElement, align: Align) => {
  const { left, right, top, bottom } = button.getBoundingClientRect()
  const { clientWidth, clientHeight, dir } = document.documentElement
  popup.style.maxHeight = 'none'
  const { offsetWidth: width, offsetHeight: height } = popup
  const room = { above: top - 2 * GAP, below: clientHeight - bottom - 2 * GAP }
  const isAbove = height > room.below && room.above > room.below
  const shown = Math.min(height, isAbove ? room.above : room.below)
  const wanted = (align === 'start') === (dir === 'rtl') ? right - width : left
  popup.style.maxHeight = `${shown}px`
  popup.style.top = `${isAbove ? top - GAP - shown : bottom + GAP}px`
  popup.style.left = `${Math.max(GAP, Math.min(wanted, clientWidth - width - GAP))}px`
}

/** Closes the menu, and does what was chosen in it. */
const ChooseContext = createContext<(act: () => unknown) => void>(() => {})

const itemsIn = (popup: HTMLElement) => [...popup.querySelectorAll<HTMLElement>('[role^="menuitem"]')]

/** The item that a key leads to. A letter leads to the next item that begins with it. */
const itemFor = (key: string, items: readonly HTMLElement[]) => {
  const at = items.indexOf(document.activeElement as HTMLElement)
  if (key === 'ArrowDown') return items[(at + 1) % items.length]
  if (key === 'ArrowUp') return items.at(at <= 0 ? -1 : at - 1)
  if (key === 'Home') return items[0]
  if (key === 'End') return items.at(-1)
  if (key.length !== 1 || key === ' ') return undefined
  return [...items.slice(at + 1), ...items].find(({ innerText }) =>
    innerText.trim().toLowerCase().startsWith(key.toLowerCase()),
  )
}

interface PopupProps {
  id: string
  button: HTMLElement
  align: Align
  onClose: () => void
  children: ReactNode
}

/** A native popover, which is above everything else on the page. */
const Popup = ({ id, button, align, onClose, children }: PopupProps) => {
  const ref = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const popup = ref.current as HTMLElement
    const follow = () => place(popup, button, align)
    popup.showPopover()
    follow()
    itemsIn(popup)[0]?.focus()
    addEventListener('scroll', follow, true)
    addEventListener('resize', follow)
    return () => {
      removeEventListener('scroll', follow, true)
      removeEventListener('resize', follow)
      popup.hidePopover()
    }
  }, [button, align])
  useEffect(() => {
    const leave = ({ target }: Event) => {
      if (!ref.current?.contains(target as Node) && !button.contains(target as Node)) onClose()
    }
    // The focus may have left the menu, for example with a click beside its items.
    const leaveByKey = ({ key }: globalThis.KeyboardEvent) => key === 'Escape' && onClose()
    addEventListener('pointerdown', leave)
    addEventListener('keydown', leaveByKey)
    return () => {
      removeEventListener('pointerdown', leave)
      removeEventListener('keydown', leaveByKey)
    }
  }, [button, onClose])
  const press = (event: KeyboardEvent) => {
    // Keys pressed in a menu must not trigger hotkeys of the page.
    event.stopPropagation()
    if (event.key === 'Escape' || event.key === 'Tab') {
      event.preventDefault()
      onClose()
      return button.focus()
    }
    const item = itemFor(event.key, itemsIn(ref.current as HTMLElement))
    if (!item) return
    event.preventDefault()
    item.focus()
  }
  return (
    <div
      ref={ref}
      id={id}
      role="menu"
      popover="manual"
      aria-labelledby={button.id}
      className={styles.popup}
      onKeyDown={press}
    >
      {children}
    </div>
  )
}

interface MenuProps {
  /** The button that opens it. */
  trigger: ReactElement<HTMLAttributes<HTMLElement>>
  children: ReactNode
  align?: Align
}

/** A menu after the ARIA pattern: arrow keys, letters, Escape, and the focus returns to the button. */
export const Menu = ({ trigger, children, align = 'end' }: MenuProps) => {
  const id = useId()
  /** The button, while the menu is open. */
  const [button, setButton] = useState<HTMLElement>()
  const { isPending, run } = usePending()
  const close = () => setButton(undefined)
  return (
    <>
      {cloneElement(trigger, {
        id: `${id}button`,
        'aria-haspopup': 'menu',
        'aria-expanded': button !== undefined,
        ...(button && { 'aria-controls': id }),
        // What was chosen last waits for its reply.
        ...(isPending && { 'aria-busy': true, 'aria-disabled': true }),
        onClick: ({ currentTarget }) => !isPending && setButton(button ? undefined : currentTarget),
        onKeyDown: (event) => {
          if (isPending) return
          if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
          event.preventDefault()
          setButton(event.currentTarget)
        },
      })}
      {button && (
        <ChooseContext
          value={(act) => {
            close()
            button.focus()
            run(act)
          }}
        >
          <Popup id={id} button={button} align={align} onClose={close}>
            {children}
          </Popup>
        </ChooseContext>
      )}
    </>
  )
}

interface ItemProps {
  role?: 'menuitem' | 'menuitemcheckbox' | 'menuitemradio'
  checked?: boolean
  danger?: boolean
  onPress: () => void
  children: ReactNode
}

const Item = ({ role = 'menuitem', checked, danger, onPress, children }: ItemProps) => (
  <button
    type="button"
    role={role}
    {...(checked !== undefined && { 'aria-checked': checked })}
    tabIndex={-1}
    className={`${styles.item} ${danger ? styles.danger : ''}`}
    onClick={onPress}
    onPointerMove={({ currentTarget }) => currentTarget.focus()}
  >
    {checked !== undefined && <span className={styles.mark}>{checked && <Check />}</span>}
    {children}
  </button>
)

interface MenuItemProps {
  children: ReactNode
  icon?: ReactNode
  danger?: boolean
  onSelect: () => void
}

export const MenuItem = ({ children, icon, danger = false, onSelect }: MenuItemProps) => {
  const choose = useContext(ChooseContext)
  return (
    <Item danger={danger} onPress={() => choose(onSelect)}>
      {icon}
      {children}
    </Item>
  )
}

interface MenuCheckProps {
  children: ReactNode
  checked: boolean
  onChange: (checked: boolean) => void
}

/** Leaves the menu open: often several are chosen. */
export const MenuCheck = ({ children, checked, onChange }: MenuCheckProps) => (
  <Item role="menuitemcheckbox" checked={checked} onPress={() => onChange(!checked)}>
    {children}
  </Item>
)

interface MenuChoiceProps {
  label: string
  value: string
  options: readonly { value: string; label: string }[]
  onChange: (value: string) => void
}

export const MenuChoice = ({ label, value, options, onChange }: MenuChoiceProps) => {
  const id = useId()
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is no part of a menu.
    <div role="group" aria-labelledby={id}>
      <div id={id} role="presentation" className={styles.label}>
        {label}
      </div>
      {options.map((option) => (
        <Item
          key={option.value}
          role="menuitemradio"
          checked={option.value === value}
          onPress={() => onChange(option.value)}
        >
          {option.label}
        </Item>
      ))}
    </div>
  )
}

// biome-ignore lint/a11y/useSemanticElements: a line in a menu has no margin of its own.
export const MenuLine = () => <div role="separator" className={styles.line} />
