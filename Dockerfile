# The image of Millrace: a Node binary, the libraries that it needs, busybox for a shell, and the npm package. Nothing else, so that there is little
# to update. Runs as user 1001 with a read-only root file system; all data is in /data.
#
#   docker build -t millrace .
#   docker run -p 4200:4200 -v millrace:/data -e MILLRACE_SERVER_API_AUTH_STRING=admin:secret millrace
#
# Both base images only take part in the build. Any Debian 12 or later with npm and Node 20.19 or later serves as BUILD_IMAGE.
ARG BUILD_IMAGE=node:24-bookworm-slim
ARG BASE_IMAGE=debian:bookworm-slim

FROM ${BUILD_IMAGE} AS package
WORKDIR /source
COPY . .
# The scripts of packages are not needed: `npm ci` brings finished binaries.
RUN npm ci --ignore-scripts \
  && npm run package -- --out /out \
  && mkdir /out/millrace \
  && tar -xzf /out/millrace-*.tgz -C /out/millrace --strip-components=1 \
  && cp node_modules/node-linux-*/bin/node /out/node

FROM ${BASE_IMAGE} AS root
RUN apt-get update \
  && apt-get install -y --no-install-recommends binutils busybox-static libstdc++6 \
  && rm -rf /var/lib/apt/lists/*
COPY --from=package /out/node /root-files/usr/local/bin/node
COPY deploy/image-root.sh /image-root.sh
RUN sh /image-root.sh /root-files

FROM scratch
COPY --from=root /root-files /
COPY --from=package /out/millrace /usr/local/lib/millrace
ENV PATH=/usr/local/bin:/usr/bin:/bin \
  HOME=/data \
  MILLRACE_SERVER_HOST=0.0.0.0 \
  MILLRACE_DATABASE_URL=sqlite:/data/millrace.db
USER 1001:1001
WORKDIR /data
VOLUME /data
EXPOSE 4200
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s CMD ["node", "/usr/local/lib/health-check.mjs"]
ENTRYPOINT ["millrace"]
CMD ["server", "start"]
