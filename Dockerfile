# msprof on Debian 12, as its packages install it:
#     docker build --tag msprof . && docker run --rm --volume "$PWD:/captures" --workdir /captures msprof show JOBX
# A machine to work on it is .devcontainer/Dockerfile.
FROM debian:12 AS build
COPY tools/packages.sh /tmp/packages.sh
RUN apt-get update && /tmp/packages.sh package
COPY . /src
RUN make -C /src deb

FROM debian:12
COPY --from=build /src/build/deb/*.deb /tmp/
RUN apt-get update && apt-get install -y --no-install-recommends /tmp/*.deb && rm -rf /var/lib/apt/lists/* /tmp/*.deb
ENTRYPOINT ["msprof"]
