import type { Texts } from './en.ts'

const startAgain = '请返回登录页面，重新开始。'

export const texts = {
  unreachable: (provider) => ({
    heading: `${provider} 没有响应`,
    description: `${provider} 目前没有响应。`,
    advice: '您尚未登录。请一分钟后重试，或使用其他方式登录。',
  }),
  notOffered: (provider) => ({
    heading: `${provider} 在此处不可用`,
    description: `此服务器不支持通过 ${provider} 登录。`,
    advice: '请使用其他方式登录。',
  }),
  notConfigured: (provider) => ({
    heading: `${provider} 在此处未设置`,
    description: `此服务器未设置通过 ${provider} 登录。`,
    advice: '请使用其他方式登录。管理员可以进行设置。',
  }),
  unknownLogin: {
    heading: '此次登录已结束',
    description: '此次登录已经完成、耗时过长，或者是在另一个浏览器中开始的。',
    advice: startAgain,
  },
  denied: (provider) => ({
    heading: '您尚未登录',
    description: `${provider} 表示登录已取消或不被允许。`,
    advice: '如果您无意取消，请返回登录页面，重新开始。',
  }),
  disabled: {
    heading: '您不能登录',
    description: '您在此处的账户已停用。',
    advice: '请联系管理员启用您的账户。',
  },
  untrusted: (provider) => ({
    heading: `${provider} 的响应有问题`,
    description: `${provider} 的响应不可信，因此您未能登录。`,
    advice: `${startAgain}如果再次出现，请告知管理员。`,
  }),
  unknownProvider: '没有使用此名称的登录服务。',
  toLogin: '前往登录页面',
} satisfies Texts
