import type { Texts } from './en.ts'

export const texts = {
  title: '退出登录？',
  heading: (brand) => `要退出 ${brand} 吗？`,
  loggedInAs: (user) => `您已登录为 ${user}。`,
  asked: (app) => `${app} 请求您退出登录。`,
  explanation: '退出登录会结束您在此浏览器中的会话。您登录过的应用会收到通知。',
  destination: (destination) => `之后您将前往 ${destination}。`,
  submit: '退出登录',
  stay: '保持登录',
  noDecision: '缺少选择。',
  over: '此页面已经回答过，或者已经过期。如需退出登录，请打开您的账户。',
  loggedOut: {
    heading: '您已退出登录',
    lead: '您现在可以关闭此页面。',
    continueTo: (destination) => `继续前往 ${destination}`,
    again: '重新登录',
  },
} satisfies Texts
