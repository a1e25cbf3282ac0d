// Without the fonts, which the Content-Security-Policy forbids.
import theme from 'vitepress/theme-without-fonts'
import './style.css'

export default theme
