import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** What the pages share behind the sign-in; orders come along, because they are what opens first. */
const SHELL =
  /[\\/]node_modules[\\/]lucide-react[\\/]|[\\/]client[\\/]src[\\/](?!errors)|src[\\/](SignedIn|routes|api[\\/]store|messages[\\/]page-words|pages[\\/][^\\/]+[\\/](routes|titles?))|components[\\/](?!Button|Field|Problem|describe-error|Toast|Empty|loadable|useForm|useHotkeys|usePending|useUnsaved|Waiting|Skeleton|PageSkeleton|Chart|FormDialog|KeyboardHelp|SaveBar|SaveProblem|StepUp|Uploads)|pages[\\/]orders[\\/](OrdersPage|DeliveryBadge|labels|source|useCarriers|words)/

/** Loaded when they are opened, with their styles. */
const PAGES =
  /@tanstack[\\/](react-virtual|virtual-core)|components[\\/](Chart|FormDialog|KeyboardHelp|SaveBar|SaveProblem|Segments|StepUp|TableBox|Uploads|csv-words|download|read-text|change-many[\\/])|src[\\/]resources[\\/]bulk|api[\\/]app-client|src[\\/]pages[\\/](?![^\\/]+[\\/](routes|titles?)\.|account[\\/](SignIn|Welcome|Entrance)|orders[\\/](OrdersPage|DeliveryBadge|labels|source|useCarriers|words))|messages[\\/](fr|ar)(\.ts|[\\/])/

/** Addresses are relative: the server may be reached under a path, and puts it before them. */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: './',
  publicDir: false,
  plugins: [react()],
  build: {
    target: 'es2022',
    manifest: 'manifest.json',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    emptyOutDir: true,
    rolldownOptions: {
      input: fileURLToPath(new URL('index.html', import.meta.url)),
      output: {
        // Few files: what the sign-in needs, what every page behind it needs, and one for each page.
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [
            // Their styles come with the first page, which saves a request.
            { name: 'shell', test: (id) => SHELL.test(id) && !PAGES.test(id) && !id.includes('.css'), priority: 2 },
            { name: 'app', test: (id) => !PAGES.test(id), priority: 1 },
          ],
        },
      },
    },
  },
})
