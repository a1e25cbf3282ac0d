import { Badge, createTheme, DirectionProvider, MantineProvider, Modal, useDirection } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { useEffect, useLayoutEffect, useState } from 'react'
import { queries } from './queries.ts'
import { router } from './router.tsx'
import { initialLanguage, isRightToLeft, keepLanguage, LanguageContext } from './texts/language.ts'

const theme = createTheme({
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Badge: Badge.extend({ defaultProps: { variant: 'light', tt: 'none', miw: 'max-content' } }),
    // It would insert a stylesheet, which the Content-Security-Policy forbids.
    Modal: Modal.extend({ defaultProps: { lockScroll: false } }),
  },
})

/** Changes the direction of the page. Its content stays, and so does typed text. */
function Direction({ of: direction }: { of: 'ltr' | 'rtl' }) {
  const { setDirection } = useDirection()
  useLayoutEffect(() => setDirection(direction), [direction, setDirection])
  return null
}

/** The console. */
export function Console() {
  const [language, setLanguage] = useState(initialLanguage)
  const direction = isRightToLeft(language) ? 'rtl' : 'ltr'
  useEffect(() => {
    document.documentElement.lang = language
  }, [language])
  const choose = (chosen: typeof language) => {
    keepLanguage(chosen)
    setLanguage(chosen)
  }

  return (
    <LanguageContext value={{ language, choose }}>
      <DirectionProvider initialDirection={direction} detectDirection={false}>
        <Direction of={direction} />
        <MantineProvider
          theme={theme}
          defaultColorScheme="auto"
          withCssVariables={false}
          withGlobalClasses={false}
        >
          <Notifications position="bottom-center" />
          <QueryClientProvider client={queries}>
            <RouterProvider router={router} />
          </QueryClientProvider>
        </MantineProvider>
      </DirectionProvider>
    </LanguageContext>
  )
}
